/* tune_network MODEL DEVICE LOG TRIALS DIR: tunes a network, verifies it, writes its library. */
#include <stdio.h>
#include <stdlib.h>
#include <tinytune/tinytune_c.h>

static int on_progress(const tinytune_progress *progress, void *context) {
  (void)context;
  fprintf(stderr, "%lu of %lu\n", (unsigned long)progress->trials,
          (unsigned long)progress->trials_total);
  return 0; /* anything else would cancel */
}

int main(int argc, char **argv) {
  tinytune_model *model = NULL;
  tinytune_run *run = NULL;
  tinytune_run_info info = {0};
  tinytune_tune_options tuning = {0};
  tinytune_run_options running = {0};
  int failed = 1;
  if (argc != 6) return 2;
  if (tinytune_model_load(argv[1], &model) != TINYTUNE_OK) goto done;
  tuning.device = argv[2];
  tuning.records = argv[3];
  tuning.trials = strtoull(argv[4], NULL, 10);
  tuning.on_progress = on_progress;
  if (tinytune_tune(model, &tuning, NULL) != TINYTUNE_OK) goto done;
  running.records = argv[3];
  running.verify = 1;
  if (tinytune_run_model(model, argv[2], &running, &run) != TINYTUNE_OK) goto done;
  tinytune_run_get(run, &info);
  printf("%s, %lu cycles\n", info.exact ? "exact" : info.difference,
         (unsigned long)info.footprint.cycles);
  if (tinytune_compile(model, argv[2], argv[3], argv[5]) != TINYTUNE_OK) goto done;
  failed = !info.exact;
done:
  if (failed) fprintf(stderr, "%s\n", tinytune_last_error());
  tinytune_run_free(run);
  tinytune_model_free(model);
  return failed;
}
