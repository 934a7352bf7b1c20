/** The rules of deploy/prometheus, evaluated over one scrape: those that need no history. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Scrape } from '../support/prometheus.ts';

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
}

/** Those of web servers; rates and increases are of several scrapes. */
const RULES = (
  parse(readFileSync(new URL('../../deploy/prometheus/alerts.yml', import.meta.url), 'utf8')) as {
    groups: { rules: Rule[] }[];
  }
).groups
  .flatMap(({ rules }) => rules)
  .filter(({ expr }) => expr.includes('job="chain-indexer"') && !/\b(rate|increase)\(/.test(expr));

/** What Prometheus adds to the samples of a web server. */
const TARGET = { job: 'chain-indexer', instance: 'scraped' };

/** The samples of a scrape, and that there was one. */
export function scraped(scrape: Scrape): Sample[] {
  const samples = [...scrape.samples('')].map(([sample, value]) => {
    const [name] = sample.split('{', 1);
    const labels = [...sample.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label!, text!]);
    return { name: name!, labels: { ...Object.fromEntries(labels), ...TARGET }, value };
  });
  return [{ name: 'up', labels: TARGET, value: 1 }, ...samples];
}

/** The names of the alerts whose expression holds. */
export function alertsThatHold(samples: readonly Sample[]): string[] {
  return RULES.filter(({ expr }) => holding(expr, samples).length > 0).map(({ alert }) => alert);
}

/** `COMPARISON and COMPARISON`: the samples of the first that are in all. */
function holding(expr: string, samples: readonly Sample[]): Sample[] {
  const [first = [], ...others] = expr.split(' and ').map((part) => compared(part, samples));
  return first.filter((one) => others.every((found) => found.some((other) => isMatch(one, other, null))));
}

const SELECTOR = /^([a-z_]+)(?:\{(.*)\})?$/;
const COMPARISON = /^(?:(\S+) ([-/]) (?:on \(([\w, ]+)\) group_(?:left|right) )?)?(\S+) (==|>) ([\d.]+)$/;

/** `[VECTOR -] VECTOR > NUMBER`, with the ways to match vectors that the rules have. */
function compared(expr: string, samples: readonly Sample[]): Sample[] {
  const match = COMPARISON.exec(expr);
  if (match === null) throw new Error(`the expression of an alert is not known here: ${expr}`);
  const [, left, operator, on, right, comparison, limit] = match;
  const matched = on?.split(', ') ?? null;
  const differences = selected(right!, samples).flatMap((second) => {
    if (left === undefined) return [second];
    const firsts = left === 'time()' ? [{ ...second, value: Date.now() / 1_000 }] : selected(left, samples);
    return firsts
      .filter((first) => isMatch(first, second, matched))
      .map((first) => ({
        ...second,
        value: operator === '-' ? first.value - second.value : first.value / second.value,
      }));
  });
  return differences.filter(({ value }) => (comparison === '>' ? value > Number(limit) : value === Number(limit)));
}

function selected(selector: string, samples: readonly Sample[]): Sample[] {
  const [, name, matchers = ''] = SELECTOR.exec(selector) ?? [];
  const wanted = [...matchers.matchAll(/(\w+)="([^"]*)"/g)];
  return samples.filter(
    (sample) => sample.name === name && wanted.every(([, label, value]) => sample.labels[label!] === value),
  );
}

/** By these labels; null: by all. */
function isMatch({ labels: one }: Sample, { labels: other }: Sample, by: readonly string[] | null): boolean {
  return (by ?? Object.keys({ ...one, ...other })).every((label) => one[label] === other[label]);
}
