#!/usr/bin/env python3
"""Makes a network of plain integers of stories260K: one token a step, keys and values as state.

    quantise.py stories260K.bin -o DIR [--tokens 200] [--window 200] [--vocabulary tok512.bin]

Writes DIR/stories.onnx, DIR/options (how tune is to keep its state), DIR/inputs.bin and DIR/logits.bin (the float
model's own tokens, step by step, and the bytes that numpy's integers give), and with a vocabulary DIR/vocabulary.h
and DIR/story.txt, what the integers say.
Prints the likelihood of these tokens under both models and the first fifty that each would say. Debian's numpy is all
it needs. README.md beside this says what is computed how.
"""

import argparse
import pathlib

import numpy as np

import vocabulary
from float_model import FloatModel, mean_loss
from integer_network import Network

LEVELS = 127
RESIDUAL_BITS = 15  # of the sums that layers add to
NORM_BITS = 9       # of a norm's weights behind the point
SHARE_LEVELS = 127  # of a softmax's largest term
DIVISION = 64       # steps of a weighted mean between two values
POSITIONS = 512     # that the tables of angles have


def largest(values, axis=None):
    return np.abs(values).max(axis, keepdims=axis is not None)


def calibrated(model, stories, count=200):
    """What stands where, over stories that the float model samples."""
    seen = {}
    for seed in range(1, stories + 1):
        model.run(np.array(model.sampled(count, seed)), lambda name, values: seen.setdefault(name, []).append(values))
    return {name: np.concatenate(values) for name, values in seen.items()}


class Quantiser:
    def __init__(self, model, seen, window):
        self.model, self.seen, self.window = model, seen, window
        self.net = Network("stories")
        self.residual = largest(np.concatenate([v for n, v in seen.items() if n[0] == "x"])) * 1.5 / 2**RESIDUAL_BITS

    def normed(self, x, weights, name):
        """int8 elements, each with a scale of its own: the scales."""
        scales = largest(self.seen[name], 0)[0] / LEVELS
        scale = self.net.constant(np.round(weights / scales * 2**NORM_BITS), np.int32)
        return self.net.add("iRMSNorm", x, scale, D=1 << NORM_BITS, n_levels=256), scales

    def dense(self, x, weights, scales, out_scales, *, offset=0.5, bias=0):
        """weights [out][in] times x, whose elements have these scales and stand `offset` above what x says."""
        folded = weights * scales
        steps = largest(folded, 1) / LEVELS
        quantised = np.round(folded / steps)
        sums = self.net.add("MatMul", x, self.net.constant(quantised.T, np.int8))
        steps = steps[:, 0]
        bias = np.round(offset * quantised.sum(1) + bias / steps)
        if bias.any():
            sums = self.net.add("Add", sums, self.net.constant(bias, np.int32))
        return self.net.requantise(sums, steps / out_scales)

    def added(self, x, weights, layer_input, scales, name):
        """x and a dense layer's result: bytes of so many steps of the residual each."""
        steps = np.ceil(largest(self.seen[name]) / LEVELS / self.residual)
        result = self.dense(layer_input, weights, scales, steps * self.residual, offset=0)
        return self.net.add("Add", x, self.net.add("Mul", result, self.net.constant(steps, np.int32)))

    def cached(self, name, row):
        """`row` [heads][1][head] behind those of the steps before."""
        heads, head = self.model.kv_heads, self.model.head
        state = self.net.state(name, np.int8, (heads, self.window - 1, head))
        rows = self.net.add("Concat", state, row, axis=1, name=f"{name}_next")
        self.net.keep(state, rows)
        return rows

    def balanced(self, layer):
        """Scales of queries and keys, by head of keys and pair: both use their bytes, and scores have one scale."""
        model, group = self.model, self.model.heads // self.model.kv_heads

        def reach(rows):  # [kv head][pair]; a pair keeps its length when it is turned
            pairs = np.sqrt((rows.reshape(len(rows), model.kv_heads, -1, model.head // 2, 2)**2).sum(-1))
            return pairs.max((0, 2))
        q, k = reach(self.seen[f"q{layer}"]), reach(self.seen[f"k{layer}"])
        ratio = np.sqrt(k / q)
        k_step = largest(k / ratio, 1) / LEVELS
        q_step = largest(q * ratio, 1) / LEVELS
        step = (q_step * k_step).max()  # of a product
        by_element = lambda steps: steps.repeat(2, 1)  # both of a pair
        q_scales = by_element(step / k_step / ratio)[:, None].repeat(group, 1).reshape(-1)
        return q_scales, by_element(k_step * ratio).reshape(-1), step

    def attention(self, x, turn, filled, layer):
        net, model, seen = self.net, self.model, self.seen
        heads, kv_heads, head, dim = model.heads, model.kv_heads, model.head, model.dim
        turned = (heads + kv_heads) * head
        h, scales = self.normed(x, model.attention_norm[layer], f"h{layer}")
        q_scales, k_scales, step = self.balanced(layer)
        v_scale = largest(seen[f"v{layer}"]) / LEVELS
        out_scales = np.concatenate([q_scales, k_scales, np.full(kv_heads * head, v_scale)])
        weights = np.concatenate([model.wq[layer], model.wk[layer], model.wv[layer]])
        qkv = self.dense(h, weights, scales, out_scales)
        rows = net.add("Reshape", net.add("Slice", qkv, [0], [turned], [1]), [heads + kv_heads, head])
        rows = net.requantise(net.add("MatMul", rows, turn), 1 / LEVELS)
        q = net.add("Reshape", net.add("Slice", rows, [0], [heads], [0]), [kv_heads, heads // kv_heads, head])
        k = net.add("Reshape", net.add("Slice", rows, [heads], [heads + kv_heads], [0]), [kv_heads, 1, head])
        v = net.add("Slice", qkv, [turned], [turned + kv_heads * head], [1])
        keys = self.cached(f"keys{layer}", k)
        values = self.cached(f"values{layer}", net.add("Reshape", v, [kv_heads, 1, head]))
        # Scores from the largest down to where exponentials are 0.
        top, bottom = seen[f"score{layer}"].max() * 1.1, seen[f"score{layer}"].min()
        score_step = (top - bottom + np.log(2 * SHARE_LEVELS)) / 255
        scores = net.requantise(net.add("MatMul", q, net.add("Transpose", keys, perm=[0, 2, 1])),
                                step / np.sqrt(head) / score_step, zero=round(LEVELS - top / score_step))
        most = net.add("ReduceMax", scores, axes=[-1], keepdims=1)
        below = net.requantise(net.add("Sub", scores, most), 1, signed=False, zero=255)
        terms = np.round(np.exp((np.arange(256) - 255) * score_step) * SHARE_LEVELS)
        shares = net.add("Gather", net.constant(terms, np.int8), below, axis=0)
        sums = net.add("MatMul", shares, filled)
        mean = net.add("IntegerDiv", net.add("MatMul", shares, values), sums, Delta=DIVISION, eta=1, eps=0)
        o_scale = largest(seen[f"o{layer}"]) / LEVELS
        o = net.requantise(net.add("Reshape", mean, [1, dim]), v_scale / DIVISION / o_scale)
        return self.added(x, model.wo[layer], o, o_scale, f"attention{layer}")

    def feed_forward(self, x, layer):
        net, model, seen = self.net, self.model, self.seen
        h, scales = self.normed(x, model.hidden_norm[layer], f"i{layer}")
        gate_scale = largest(seen[f"gate{layer}"]) / LEVELS
        gates = np.concatenate([np.arange(128), np.arange(-128, 0)]) * gate_scale  # by byte, from the end below 0
        silu = gates / (1 + np.exp(-gates))
        silu_scale = largest(silu) / LEVELS
        gate = net.add("Gather", net.constant(np.round(silu / silu_scale), np.int8),
                       self.dense(h, model.w1[layer], scales, gate_scale), axis=0)
        up, product = largest(seen[f"up{layer}"], 0)[0], largest(seen[f"product{layer}"], 0)[0]
        ratio = np.median(product / up)  # one for all elements; an element's scale is the larger that it needs
        up_scales = np.maximum(up, product / ratio) / LEVELS
        up = self.dense(h, model.w3[layer], scales, up_scales)
        p = net.requantise(net.add("Mul", gate, up), silu_scale / ratio)
        return self.added(x, model.w2[layer], p, up_scales * ratio, f"feed{layer}")

    def embedded(self, token):
        steps = np.ceil(largest(self.model.embedding, 0)[0] / LEVELS / self.residual)
        table = np.round(self.model.embedding / (steps * self.residual))
        row = self.net.add("Gather", self.net.constant(table, np.int8), token, axis=0)
        return self.net.add("Mul", row, self.net.constant(steps, np.int32))

    def turn(self, position):
        """The matrix that turns a row of pairs, from a table of cosines and sines by position."""
        head = self.model.head
        cosines, sines = self.model.angles(np.arange(POSITIONS))
        table = np.round(np.concatenate([cosines, sines, -sines, 0 * sines], 1) * LEVELS)
        cosine, sine, minus, zero = (i * head // 2 for i in range(4))
        places = np.full((head, head), zero)
        for pair in range(head // 2):
            even, odd = 2 * pair, 2 * pair + 1
            places[even, even] = places[odd, odd] = cosine + pair
            places[even, odd], places[odd, even] = sine + pair, minus + pair
        row = self.net.add("Gather", self.net.constant(table, np.int8), position, axis=0)
        return self.net.add("Reshape", self.net.add("Gather", row, list(places.reshape(-1)), axis=1), [head, head])

    def network(self):
        """The network, and the step of its logits."""
        net, model = self.net, self.model
        token, position = net.input("token", np.int32, (1,)), net.input("position", np.int32, (1,))
        logit_top, logit_step = self.seen["logits"].max() * 1.1, 0.12
        x, turn = self.embedded(token), self.turn(position)
        state = net.state("filled", np.int8, (self.window - 1,))
        filled = net.add("Concat", state, net.constant([1], np.int8), axis=0, name="filled_next")
        net.outputs.append(None)  # the logits, first
        net.keep(state, filled)
        filled = net.add("Reshape", filled, [self.window, 1])
        for layer in range(model.layers):
            x = self.attention(x, turn, filled, layer)
            x = self.feed_forward(x, layer)
        h, scales = self.normed(x, model.final_norm, "h")
        net.outputs[0] = self.dense(h, model.embedding, scales, np.full(model.vocabulary, logit_step),
                                    bias=np.full(model.vocabulary, LEVELS * logit_step - logit_top))
        return net, logit_step


def said(net, count):
    """What the integers say when each token is the likeliest."""
    tokens = [1]

    def steps():
        while len(tokens) <= count:
            yield {"token": [tokens[-1]], "position": [len(tokens) - 1]}
    for logits in net.sequence(steps()):
        tokens.append(int(logits.argmax()))
    return tokens


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--tokens", type=int, default=200)
    parser.add_argument("--window", type=int, default=200, help="tokens that a step looks back at, itself included")
    parser.add_argument("--stories", type=int, default=3, help="how many the float model samples to find ranges by")
    parser.add_argument("--vocabulary", type=pathlib.Path, help="llama2.c's tokenizer, tok512.bin")
    options = parser.parse_args()
    model = FloatModel(options.model)
    net, logit_step = Quantiser(model, calibrated(model, options.stories), options.window).network()
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "stories.onnx").write_bytes(net.file())
    (options.output / "options").write_text("\n".join(net.options()) + "\n")

    tokens = model.story(options.tokens, np.argmax)
    steps = [{"token": [token], "position": [at]} for at, token in enumerate(tokens[:-1])]
    logits = np.concatenate(list(net.sequence(steps)))
    (options.output / "inputs.bin").write_bytes(np.array(
        [[step["token"][0], step["position"][0]] for step in steps], np.int32).tobytes())
    (options.output / "logits.bin").write_bytes(logits.astype(np.int8).tobytes())
    floats = model.run(np.array(tokens[:-1]))
    print(f"{len(tokens) - 1} tokens, mean negative log-likelihood: float32 {mean_loss(floats, tokens):.4f}, "
          f"integers {mean_loss(logits * logit_step, tokens):.4f}")
    print(f"the likeliest token is the float model's at {(logits.argmax(-1) == tokens[1:]).sum()} of them")
    own = said(net, min(50, options.tokens))
    same = sum(a == b for a, b in zip(own[1:], tokens[1:]))
    words = vocabulary.read(options.vocabulary) if options.vocabulary else None
    if words:
        (options.output / "vocabulary.h").write_text(vocabulary.header(words, logit_step))
        (options.output / "story.txt").write_text(vocabulary.text(own, words) + "\n")
    for name, story in (("float32 ", tokens[:len(own)]), ("integers", own)):
        print(f"{name} {vocabulary.text(story, words) if words else story}")
    print(f"{same} of the first {len(own) - 1} tokens agree")


if __name__ == "__main__":
    main()
