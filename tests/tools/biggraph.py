#!/usr/bin/env python3
"""The named large graphs on which the real peer was timed, as requests of contract form.

usage: biggraph.py NAME|KIND:N [--limit TASKS] [-o FILE] | biggraph.py --list
NAME is one of the peer's timing cases; KIND:N is any size of chain, alt, par, rand, train, llm, ifs, attached. --limit sets max_tasks_per_stream (default 1024,
as the peer was timed; 0 = unlimited). Deterministic: the same words are the same graph for everyone.
"""
import argparse, json, random, sys
AIC, VEC, DSA, HCCL, RTS, LOC = 'AIcoreEngine', 'VectorEngine', 'DSAEngine', 'DNN_HCCL', 'DNN_VM_RTS', 'DNN_VM_GE_LOCAL'
CPU, CPUTF, DVPP, CUS, HOST, FFTS = 'DNN_VM_AICPU_ASCEND', 'DNN_VM_AICPU', 'DNN_VM_DVPP', 'DNN_VM_CUSTOM', 'DNN_VM_HOST_CPU', 'ffts_plus'
class G:
    """one graph under construction"""
    def __init__(self, name='g', **opts):
        self.name, self.opts, self.nodes, self.subs, self.engines, self.attrs = name, opts, [], [], None, None

    def add(self, name, typ='Relu', eng=None, *inputs, **kw):
        n = {'name': name, 'op_type': typ}
        if eng: n['engine'] = eng
        if inputs: n['inputs'] = [i if i.startswith('^') or ':' in i else i + ':0' for i in inputs]
        at = kw.pop('attrs', {})
        for k, v in list(kw.items()):
            if k in ('label',): at['_stream_label'] = v
            elif k == 'user': at['_user_stream_label'] = v
            elif k == 'group': at['_parallel_group'] = v
            elif k in ('subgraphs', 'task_count', 'sqe_num', 'attached_task_count', 'outputs', 'kernel_lib', 'stream_id'): n[k] = v
            else: at[k] = v
        if at: n['attrs'] = at
        self.nodes.append(n)
        return name

    def data(self, name='d', **kw): return self.add(name, 'Data', None, **kw)
    def out(self, *ins, name='out', **kw): return self.add(name, 'NetOutput', None, *ins, **kw)

    def sub(self, name, **kw):
        s = G(name); s.extra = kw; self.subs.append(s); return s

    def js(self):
        d = {'name': self.name}
        if self.opts: d['options'] = self.opts
        if self.engines: d['engines'] = self.engines
        if self.attrs: d['attrs'] = self.attrs
        d['nodes'] = self.nodes
        if self.subs:
            d['subgraphs'] = []
            for s in self.subs:
                e = {'name': s.name, 'nodes': s.nodes}
                e.update(s.extra)
                if s.attrs: e['attrs'] = s.attrs
                d['subgraphs'].append(e)
        return d


def rand_dag(r, n, engs, name='r', p2=.55, ctrl=.1, consts=0.0, **opts):
    g = G(name, **opts); pool = [g.data('d0'), g.data('d1')]
    for i in range(n):
        if r.random() < consts: pool.append(g.add(f'c{i}', 'Const')); continue
        k = 1 + (r.random() < p2) + (r.random() < p2 * .3)
        win = pool[-12:]
        ins = [r.choice(win) for _ in range(k)]; ins = list(dict.fromkeys(ins))
        cs = ['^' + r.choice(win) for _ in range(1) if r.random() < ctrl]
        cs = [c for c in cs if c[1:] not in ins]
        e = r.choice(engs); ty = {'DNN_HCCL': 'HcomAllGather', LOC: 'Reshape', RTS: 'MemcpyAsync'}.get(e, 'Op')
        pool.append(g.add(f'n{i}', ty, e, *ins, *cs))
    used = {x.lstrip('^').rsplit(':', 1)[0] for nd in g.nodes for x in nd.get('inputs', [])}
    g.out(*[x for x in pool if x not in used][:40] or [pool[-1]])
    return g



def train(layers, hp, fusion, name, label=False, skip_update=False):
    g = G(name, hcom_parallel=hp); p = g.data()
    for i in range(layers): p = g.add(f'fp{i}', 'MatMul', AIC, p)
    q = g.add('loss', 'SoftmaxCrossEntropy', AIC, p)
    for i in reversed(range(layers)):
        q = g.add(f'bp{i}', 'MatMulGrad', AIC, q, f'fp{i}', outputs=2)
        kw = {'fusion': fusion} if fusion is not None else {}
        if label: kw['label'] = 'ar'
        g.add(f'ar{i}', 'HcomAllReduce', HCCL, f'bp{i}:1', **kw)
        if not skip_update: g.add(f'apply{i}', 'ApplyMomentum', AIC, f'ar{i}')
    g.out(*[(f'ar{i}' if skip_update else f'apply{i}') for i in range(layers)])
    return g



def branch(s, engs, n=3, seed=0, label=None):
    r = random.Random(seed); p = s.add(s.name + '_d', 'Data', None, attrs={'_parent_node_index': 1}); pool = [p]
    for i in range(n):
        e = engs[(i + seed) % len(engs)]; pool.append(s.add(f'{s.name}_n{i}', 'HcomAllReduce' if e == HCCL else 'Op', e, r.choice(pool[-2:]), **({'label': label} if label and i == n - 1 else {})))
    s.out(pool[-1], *([pool[-2]] if n > 1 and r.random() < .4 else []), name=s.name + '_out')



def chain(n, **o):
    g = G(f'chain{n}', **o); p = g.data()
    for i in range(n): p = g.add(f'n{i}', 'Relu', AIC, p)
    g.out(p); return g

def alt(n, engs, **o):
    g = G(f'alt{n}', **o); p = g.data()
    for i in range(n): p = g.add(f'n{i}', 'Op', engs[i % len(engs)], p)
    g.out(p); return g

def par(n, engs, **o):  # one chain per engine with a cross edge every 4 nodes
    g = G(f'par{n}', **o); g.data(); ps = ['d'] * len(engs)
    for i in range(n // len(engs)):
        for k, e in enumerate(engs):
            ex = [ps[(k + 1) % len(engs)]] if i % 4 == 3 and ps[(k + 1) % len(engs)] != ps[k] else []
            ps[k] = g.add(f'e{k}_{i}', 'Op', e, ps[k], *ex)
    g.add('j', 'AddN', AIC, *ps); g.out('j'); return g

def llm(layers, **o):  # transformer-like inference graph, tensor parallel
    g = G(f'llm{layers}', **o); x = g.data('x')
    for l in range(layers):
        p = f'l{l}_'
        for w in ('wq', 'wk', 'wv', 'wo', 'w1', 'w2', 'w3', 'n1', 'n2'): g.add(p + w, 'Const')
        g.add(p + 'norm', 'RmsNorm', AIC, x, p + 'n1'); [g.add(p + q, 'MatMul', AIC, p + 'norm', p + 'w' + q) for q in 'qkv']
        g.add(p + 'rs', 'Reshape', LOC, p + 'q'); g.add(p + 'rope', 'Rope', AIC, p + 'rs', p + 'k'); g.add(p + 'att', 'FlashAttention', AIC, p + 'rope', p + 'v'); g.add(p + 'o', 'MatMul', AIC, p + 'att', p + 'wo')
        g.add(p + 'ar', 'HcomAllReduce', HCCL, p + 'o'); g.add(p + 'res', 'Add', AIC, p + 'ar', x); g.add(p + 'norm2', 'RmsNorm', AIC, p + 'res', p + 'n2')
        g.add(p + 'g', 'MatMul', AIC, p + 'norm2', p + 'w1'); g.add(p + 'u', 'MatMul', AIC, p + 'norm2', p + 'w3'); g.add(p + 's', 'SwiGlu', VEC, p + 'g', p + 'u'); g.add(p + 'dn', 'MatMul', AIC, p + 's', p + 'w2')
        g.add(p + 'ar2', 'HcomAllReduce', HCCL, p + 'dn'); x = g.add(p + 'res2', 'Add', AIC, p + 'ar2', p + 'res')
        if l % 8 == 7: g.add(p + 'log', 'Print', CPU, x)
    g.out(x); return g

def ifs(n, **o):
    g = G(f'ifs{n}', label_maker=True, **o); g.data('cond'); p = g.data('x')
    for i in range(n): a = g.add(f'n{i}', 'Op', [AIC, HCCL, VEC][i % 3], p); g.add(f'if{i}', 'If', None, 'cond', a, subgraphs=[f't{i}', f'e{i}']); branch(g.sub(f't{i}'), [AIC, HCCL], 6, i); branch(g.sub(f'e{i}'), [AIC, VEC], 6, i + 1); p = f'if{i}'
    g.out(p); return g
ENG = [AIC, AIC, AIC, AIC, VEC, HCCL, CPU, LOC]
CASES = [
 ('chain_1k', lambda: chain(1000)), ('chain_10k', lambda: chain(10000)), ('chain_100k', lambda: chain(100000)),
 ('alt_aic_hccl_1k', lambda: alt(1000, [AIC, HCCL])), ('alt_aic_hccl_10k', lambda: alt(10000, [AIC, HCCL])),
 ('par4_4k', lambda: par(4000, [AIC, VEC, HCCL, DSA])), ('par4_20k', lambda: par(20000, [AIC, VEC, HCCL, DSA])),
 ('rand_1k', lambda: rand_dag(random.Random(1), 1000, ENG, 'r1k', consts=.1)), ('rand_5k', lambda: rand_dag(random.Random(2), 5000, ENG, 'r5k', consts=.1)),
 ('rand_10k', lambda: rand_dag(random.Random(3), 10000, ENG, 'r10k', consts=.1)), ('rand_30k', lambda: rand_dag(random.Random(5), 30000, ENG, 'r30k', consts=.1)),
 ('rand_aic_100k', lambda: rand_dag(random.Random(4), 100000, [AIC], 'ra100k')),
 ('train_500', lambda: train(500, True, 1, 'tr500')), ('train_2000', lambda: train(2000, True, 1, 'tr2000')),
 ('llm_32', lambda: llm(32)), ('llm_80', lambda: llm(80)), ('llm_400', lambda: llm(400)), ('llm_80_split256', lambda: llm(80, max_task_count=256)),
 ('llm_80_notify', lambda: llm(80, event='notify')), ('llm_80_dynamic', lambda: llm(80, dynamic=True)), ('llm_32_loadbalance8', lambda: llm(32, auto_multi_stream='LoadBalance:8')), ('llm_32_mainstream8', lambda: llm(32, auto_multi_stream='MainStream:8')), ('llm_80_weighted8', lambda: llm(80, auto_multi_stream='WeightedLoadBalance:8')),
 ('ifs_100', lambda: ifs(100)), ('ifs_400', lambda: ifs(400)),
]

PLACE = dict.fromkeys(("Data", "Const", "Reshape", "If"), LOC) | {"NetOutput": RTS, "HcomAllReduce": HCCL}
OPTION = {"hcom_parallel": "hcom_parallel", "event": "event", "auto_multi_stream": "auto_multi_stream"}


def attached(n):
    """A chain in which every fourth operator asks for an attached stream, eight reuse keys in turn."""
    g = G(f'attached{n}'); p = g.data()
    for i in range(n):
        at = {'_attached_stream_info_list': [{'_attached_resource_name': 'as', '_attached_resource_reuse_key': f'k{i // 4 % 8}',
              '_attached_resource_required_flag': True, '_attached_resource_depend_value_list_int': [0]}]} if i % 4 == 3 else {}
        p = g.add(f'n{i}', 'MatMulAllReduce' if at else 'MatMul', AIC, p, **({'attrs': at} if at else {}))
    g.out(p); return g


KINDS = {
    'chain': chain, 'alt': lambda n: alt(n, [AIC, HCCL]), 'par': lambda n: par(n, [AIC, VEC, HCCL, DSA]), 'attached': attached,
    'rand': lambda n: rand_dag(random.Random(n), n, ENG, f'rand{n}', consts=.1), 'train': lambda n: train(n, True, 1, f'train{n}'), 'llm': llm, 'ifs': ifs,
}


def request(old, limit):
    """The generator's own form to contract form: engines spelled out, options and limits in their places."""
    graph = {"name": old["name"], "nodes": old["nodes"]}
    if old.get("subgraphs"):
        graph["subgraphs"] = [{"name": s["name"], "nodes": s["nodes"]} for s in old["subgraphs"]]
    for nodes in [graph["nodes"]] + [s["nodes"] for s in graph.get("subgraphs", [])]:
        for n in nodes:
            n.setdefault("engine", PLACE.get(n["op_type"], AIC))
            n.pop("outputs", None)
    o = old.get("options", {})
    out = {"graph": graph, "options": {OPTION[k]: v for k, v in o.items() if k in OPTION}}
    if o.get("dynamic"):
        graph["dynamic"] = True
        out["options"]["dynamic_multi_stream"] = True
    out["device"] = {"limits": {"max_streams": 0, "max_tasks_per_stream": o.get("max_task_count", 1024) if limit is None else limit}}
    return out


def main():
    a = argparse.ArgumentParser(usage=__doc__)
    a.add_argument("name", nargs="?"); a.add_argument("--limit", type=int); a.add_argument("-o"); a.add_argument("--list", action="store_true")
    a = a.parse_args()
    cases = dict(CASES)
    if a.list or not a.name:
        print("\n".join(list(cases) + [k + ":N" for k in KINDS])); return
    kind, _, n = a.name.partition(":")
    if a.name not in cases and not (kind in KINDS and n.isdigit()):
        raise SystemExit(f"no graph {a.name}; --list names them")
    graph = cases[a.name]() if a.name in cases else KINDS[kind](int(n))
    with open(a.o, "w") if a.o else sys.stdout as where:
        json.dump(request(graph.js(), a.limit), where, separators=(",", ":"))


if __name__ == "__main__":
    main()
