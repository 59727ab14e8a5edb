/* tune_from_c MODEL LOG TUNE DIR: tunes a few trials through the C interface and writes the
 * library. Prints the cycles before and after. */
#include <stdio.h>
#include <tinytune/tinytune_c.h>

static int on_progress(const tinytune_progress *progress, void *context) {
  unsigned *calls = context;
  *calls += 1;
  return progress->valid > progress->trials;
}

int main(int argc, char **argv) {
  tinytune_model *model = NULL;
  tinytune_tune_options options = {0};
  tinytune_tune_result result;
  unsigned calls = 0;
  if (argc != 5) return 2;
  if (tinytune_model_load(argv[1], &model) != TINYTUNE_OK) goto failed;
  options.device = "esp32c3";
  options.records = argv[2];
  options.worker_program = argv[3];
  options.trials = 5;
  options.on_progress = on_progress;
  options.context = &calls;
  if (tinytune_tune(model, &options, &result) != TINYTUNE_OK) goto failed;
  if (tinytune_compile(model, "esp32c3", argv[2], argv[4]) != TINYTUNE_OK) goto failed;
  printf("%s: %u reports, %lu tasks, %lu to %lu cycles\n", tinytune_version(), calls,
         (unsigned long)tinytune_task_count(model), (unsigned long)result.default_cycles,
         (unsigned long)result.best_cycles);
  tinytune_model_free(model);
  return 0;
failed:
  fprintf(stderr, "%s\n", tinytune_last_error());
  tinytune_model_free(model);
  return 1;
}
