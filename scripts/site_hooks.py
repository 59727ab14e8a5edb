"""What mkdocs is asked to do besides: decisions stay out of the search, where they would hide the pages that users need."""
import json
import pathlib


def on_post_build(config, **_):
    index = pathlib.Path(config["site_dir"]) / "search" / "search_index.json"
    found = json.loads(index.read_text())
    found["docs"] = [page for page in found["docs"] if not page["location"].startswith("adr/")]
    index.write_text(json.dumps(found))
