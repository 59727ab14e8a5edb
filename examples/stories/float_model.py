"""The model as it was trained: a Llama in float32, read from llama2.c's first file format."""

import struct

import numpy as np

BEGIN = 1  # the token that a story begins behind, and that ends it
EPSILON = 1e-5


class FloatModel:
    def __init__(self, path):
        raw = open(path, "rb").read()
        self.dim, self.hidden, self.layers, self.heads, self.kv_heads, self.vocabulary, _ = struct.unpack("7i", raw[:28])
        assert self.vocabulary > 0, "a classifier of its own"
        self.head = self.dim // self.heads
        numbers, at = np.frombuffer(raw[28:], np.float32).astype(float), 0

        def take(*shape):
            nonlocal at
            at += int(np.prod(shape))
            return numbers[at - int(np.prod(shape)):at].reshape(shape)

        layers, dim, hidden, keys = self.layers, self.dim, self.hidden, self.kv_heads * self.head
        self.embedding = take(self.vocabulary, dim)
        self.attention_norm = take(layers, dim)
        self.wq, self.wk = take(layers, dim, dim), take(layers, keys, dim)
        self.wv, self.wo = take(layers, keys, dim), take(layers, dim, dim)
        self.hidden_norm = take(layers, dim)
        self.w1, self.w2, self.w3 = take(layers, hidden, dim), take(layers, dim, hidden), take(layers, hidden, dim)
        self.final_norm = take(dim)

    def angles(self, positions):
        """Cosines and sines, by position and pair."""
        turns = positions[:, None] / 10000.0 ** (np.arange(0, self.head, 2) / self.head)
        return np.cos(turns), np.sin(turns)

    def run(self, tokens, record=lambda name, values: None, past=None):
        """Logits behind every token. `record` is shown what stands between, by position. `past`: a dictionary that
        keys and values of tokens before are in, and these go to."""
        past = {} if past is None else past
        count, before = len(tokens), len(past["k0"]) if past else 0
        cosines, sines = (table[:, None, :] for table in self.angles(before + np.arange(count)))

        def behind(name, rows):
            past[name] = np.concatenate([past[name], rows]) if name in past else rows
            return past[name]

        def turned(rows):
            even, odd = rows[..., 0::2], rows[..., 1::2]
            pairs = np.stack([even * cosines - odd * sines, even * sines + odd * cosines], -1)
            return pairs.reshape(count, -1, self.head)

        def norm(rows, weights):
            return rows / np.sqrt((rows * rows).mean(-1, keepdims=True) + EPSILON) * weights

        def split(rows):
            return rows.reshape(count, -1, self.head)

        x = self.embedding[tokens]
        later = np.triu(np.full((count, before + count), -np.inf), 1 + before)
        for layer in range(self.layers):
            note = lambda name, values: record(f"{name}{layer}", values)
            note("x", x)
            h = norm(x, self.attention_norm[layer])
            q, k = turned(split(h @ self.wq[layer].T)), turned(split(h @ self.wk[layer].T))
            v = split(h @ self.wv[layer].T)
            group = self.heads // self.kv_heads
            keys, values = behind(f"k{layer}", k), behind(f"v{layer}", v)
            scores = np.einsum("qhd,khd->hqk", q, keys.repeat(group, 1)) / np.sqrt(self.head) + later
            shares = np.exp(scores - scores.max(-1, keepdims=True))
            shares /= shares.sum(-1, keepdims=True)
            o = np.einsum("hqk,khd->qhd", shares, values.repeat(group, 1)).reshape(count, -1)
            for name, rows in (("h", h), ("q", q), ("k", k), ("v", v), ("o", o), ("score", scores.max(-1).T)):
                note(name, rows)
            added = o @ self.wo[layer].T
            x = x + added
            note("attention", added)
            h = norm(x, self.hidden_norm[layer])
            gate, up = h @ self.w1[layer].T, h @ self.w3[layer].T
            product = gate / (1 + np.exp(-gate)) * up
            added = product @ self.w2[layer].T
            x = x + added
            for name, values in (("i", h), ("gate", gate), ("up", up), ("product", product), ("feed", added)):
                note(name, values)
        record("x", x)
        h = norm(x, self.final_norm)
        logits = h @ self.embedding.T
        record("h", h)
        record("logits", logits)
        return logits

    def story(self, count, choose):
        """`count` tokens behind the first, or fewer where the story ends."""
        tokens, past = [BEGIN], {}
        while len(tokens) <= count:
            tokens.append(int(choose(self.run(np.array(tokens[-1:]), past=past)[-1])))
            if tokens[-1] == BEGIN:
                break
        return tokens

    def sampled(self, count, seed):
        chance = np.random.default_rng(seed)

        def choose(logits):
            shares = np.exp(logits - logits.max())
            return chance.choice(len(logits), p=shares / shares.sum())
        return self.story(count, choose)


def mean_loss(logits, tokens):
    """The mean negative log-likelihood of the tokens behind the first."""
    logits = logits - logits.max(-1, keepdims=True)
    shares = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    return -shares[np.arange(len(tokens) - 1), tokens[1:]].mean()
