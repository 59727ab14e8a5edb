/* Tells a story, token by token, with the generated network: the likeliest one or one by chance.
 *
 *     story [SEED [TOKENS]]       without a seed, or with 0, the likeliest
 *
 * The network (quantise.py) looks up its embeddings itself and keeps the tokens read in the arena.
 * The application only chooses the next token and prints its text. */
#include <stdio.h>
#include <stdlib.h>

#include <stories.h>
#include <vocabulary.h>

enum { kBegin = 1, kFirstWord = 3, kTokens = 200 };

STORIES_STATIC_ARENA(arena);

static int likeliest(const int8_t *logits) {
  int best = 0;
  for (int i = 1; i < kWords; ++i)
    if (logits[i] > logits[best]) best = i;
  return best;
}

/* Draws a token by its probability; likelihood[d]: exponential for a logit d below the largest. */
static int by_chance(const int8_t *logits, uint32_t *seed) {
  const int most = logits[likeliest(logits)];
  uint32_t sum = 0;
  for (int i = 0; i < kWords; ++i) sum += likelihood[most - logits[i]];
  *seed ^= *seed << 13, *seed ^= *seed >> 17, *seed ^= *seed << 5; /* Marsaglia's xorshift */
  uint32_t rest = *seed % sum;
  for (int i = 0; i < kWords; ++i) {
    const uint32_t share = likelihood[most - logits[i]];
    if (rest < share) return i;
    rest -= share;
  }
  return kBegin;
}

int main(int count, char **words) {
  uint32_t seed = count > 1 ? (uint32_t)strtoul(words[1], NULL, 10) : 0;
  const int tokens = count > 2 ? atoi(words[2]) : kTokens;
  stories_reset(arena);
  int token = kBegin;
  for (int position = 0; position < tokens; ++position) {
    *stories_input_0(arena) = token;
    *stories_input_1(arena) = position;
    if (stories_invoke(arena) != STORIES_OK) return 1;
    const int8_t *logits = stories_output_0(arena);
    token = seed == 0 ? likeliest(logits) : by_chance(logits, &seed);
    if (token == kBegin) break;
    if (token < kFirstWord) continue;
    fwrite(word_text + word_begins[token], 1, word_begins[token + 1] - word_begins[token], stdout);
    fflush(stdout);
  }
  putchar('\n');
  return 0;
}
