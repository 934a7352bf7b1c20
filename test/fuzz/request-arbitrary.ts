/** Requests for the operations of a document: right ones, wrong ones, and ones that nobody would think of. */
import fc from 'fast-check';
import type { DocumentedParameter, Operation } from '../support/web-server.ts';
import type { KnownIds } from './known-ids.ts';

/** Whether the server must take a value, must refuse it, or may do either. */
export type Verdict = 'right' | 'wrong' | 'either';

export interface FuzzedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of the parameters of the path, and of those of the query. */
  readonly pathVerdict: Verdict;
  readonly queryVerdict: Verdict;
}

interface Judged {
  readonly text: string;
  readonly verdict: Verdict;
}

const judged = (verdict: Verdict, texts: fc.Arbitrary<string>): fc.Arbitrary<Judged> =>
  texts.map((text) => ({ text, verdict }));

const LARGEST = 2n ** 63n - 1n;

const notUnsigned = fc.oneof(
  fc.constantFrom('', '-1', '1.5', '1e3', '0x10', 'abc', '%2B%2B1', '1%20', '%20', '%D9%A1', '%00', 'NaN', '-0', '1_0'),
  fc.bigInt({ min: LARGEST + 1n, max: 10n ** 40n }).map(String),
);

const smallOrLarge = (most: bigint) =>
  fc
    .oneof(
      fc.nat(300),
      fc.bigInt({ min: 0n, max: most }),
      fc.constantFrom(...[most, most - 1n, 2n ** 31n, 2n ** 53n].filter((number) => number <= most)),
    )
    .map(String);

const unsigned = fc.oneof(
  { weight: 4, arbitrary: judged('right', smallOrLarge(LARGEST)) },
  { weight: 1, arbitrary: judged('right', fc.constantFrom('%2B5', '007', '%2B0', '%31')) },
  { weight: 2, arbitrary: judged('wrong', notUnsigned) },
);

/** Numbers from 1 to a maximum, which lists differ in. */
const itemsUpTo = (maximum: number) =>
  fc.oneof(
    { weight: 4, arbitrary: judged('right', fc.integer({ min: 1, max: maximum }).map(String)) },
    {
      weight: 2,
      arbitrary: judged(
        'wrong',
        fc.oneof(notUnsigned, fc.constant('0'), fc.bigInt({ min: BigInt(maximum) + 1n, max: LARGEST }).map(String)),
      ),
    },
  );

/** Also multiples of a number, where only those are right. */
const multiplesOf = (factor: bigint) => {
  const multiple = (text: string) => (BigInt(text) / factor) * factor;
  return fc.oneof(
    judged(
      'right',
      smallOrLarge(LARGEST).map((text) => `${multiple(text)}`),
    ),
    judged(
      'wrong',
      fc.oneof(
        notUnsigned,
        smallOrLarge(LARGEST - factor).map((text) => `${multiple(text) + 1n}`),
      ),
    ),
  );
};

/** What stands in no id but may stand in a URL. */
const pieces = fc.constantFrom(
  ...'%00 %2F %2f %25 % %zz %c3%28 %ED%A0%80 %F0%9F%92%A9 %0d%0a %20 .. . %2e%2e + ~ \' " < > ` { } | \\ ^ ; & = @ : * ! $ , [ ] _'.split(
    ' ',
  ),
  'null',
  'undefined',
  '__proto__',
  'constructor',
);

const garbage = fc.oneof(
  fc.array(pieces, { minLength: 1, maxLength: 6 }).map((some) => some.join('')),
  fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }).map(encodeURIComponent),
  fc.string({ minLength: 1, maxLength: 80, unit: fc.constantFrom(...'0123456789abcdefxyz1qpzry') }),
  fc.integer({ min: 100, max: 1_500 }).map((length) => 'a'.repeat(length)),
);

/** An id with a small mistake, or in another spelling. */
const disfigured = (ids: fc.Arbitrary<string>) =>
  fc
    .tuple(ids, fc.nat(), fc.constantFrom('flip', 'cut', 'double', 'upper', 'prefix', 'encode', 'space'))
    .map(([id, at, how]) => {
      const place = at % id.length;
      switch (how) {
        case 'flip':
          return `${id.slice(0, place)}${id[place] === 'q' ? 'p' : 'q'}${id.slice(place + 1)}`;
        case 'cut':
          return id.slice(0, place) || id;
        case 'double':
          return id + id;
        case 'upper':
          return id.toUpperCase();
        case 'prefix':
          return `0x${id}`;
        case 'encode':
          return `${id.slice(0, place)}%${id.charCodeAt(place).toString(16)}${id.slice(place + 1)}`;
        default:
          return `${id}%20`;
      }
    });

function givenFor({ name, schema }: DocumentedParameter, ids: KnownIds): fc.Arbitrary<Judged> {
  if (name === 'items') return itemsUpTo(schema.maximum!);
  if (schema.enum !== undefined) {
    const { enum: known } = schema;
    const unknown = ['', 'nope', 'LEGACY', 'by_height%20', '1'].filter((text) => !known.includes(text));
    return fc.oneof(judged('right', fc.constantFrom(...known)), judged('wrong', fc.constantFrom(...unknown)));
  }
  if (name === 'index') {
    return fc.oneof(
      judged('right', fc.oneof(fc.nat(4).map(String), smallOrLarge(2n ** 32n - 1n))),
      judged(
        'wrong',
        fc.oneof(
          notUnsigned.filter((text) => text !== ''),
          fc.constant('4294967296'),
        ),
      ),
    );
  }
  if (schema.multipleOf !== undefined) return multiplesOf(BigInt(schema.multipleOf));
  if (schema.type === 'integer') return unsigned;
  const all = Object.values(ids).flat();
  const known = ids[schema.format ?? name];
  const anything = judged('either', fc.oneof(fc.constantFrom(...all), disfigured(fc.constantFrom(...all)), garbage));
  // A cursor is right in its own list only.
  if (known === undefined || schema.format === 'cursor') return anything;
  return fc.oneof(
    { weight: 5, arbitrary: judged('right', fc.constantFrom(...known).map(encodeURIComponent)) },
    { weight: 2, arbitrary: judged('either', disfigured(fc.constantFrom(...known))) },
    { weight: 2, arbitrary: anything },
  );
}

const verdictOf = (values: readonly Judged[]): Verdict =>
  values.some(({ verdict }) => verdict === 'wrong')
    ? 'wrong'
    : values.every(({ verdict }) => verdict === 'right')
      ? 'right'
      : 'either';

/** Parameters of which some refuse or need others: values that are right in themselves may be wrong together. */
const DEPENDENT = /^(height|time|from|to|format|delimiter|decimal|kind)=/;

const unknownQuery = fc.array(
  fc.tuple(garbage, garbage).map(([name, value]) => `${name}=${value}`),
  { maxLength: 2 },
);

const headers = fc.record(
  {
    'accept-encoding': fc.constantFrom(
      'gzip',
      'br',
      'gzip;q=0, *',
      'identity',
      '*;q=0',
      ';;;,',
      'br;q=1.0, gzip;q=0.8',
    ),
    'if-none-match': fc.constantFrom('*', '""', 'W/"x"', '"', ', ,', 'a'.repeat(500)),
    accept: fc.constantFrom('*/*', 'text/html', 'application/json;q=0', ''),
    origin: fc.constantFrom('https://example.org', 'null', ''),
    range: fc.constant('bytes=0-10'),
    'x-http-method-override': fc.constant('DELETE'),
    connection: fc.constantFrom('keep-alive', 'close'),
    'content-type': fc.constantFrom('application/json', 'nonsense', ''),
  },
  { requiredKeys: [] },
);

const methods = fc.oneof(
  { weight: 12, arbitrary: fc.constant('GET') },
  { weight: 2, arbitrary: fc.constant('HEAD') },
  { weight: 2, arbitrary: fc.constantFrom('OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'PROPFIND', 'TRACE') },
);

/** Requests for the documented paths. */
export function documentedRequest(operations: readonly Operation[], ids: KnownIds): fc.Arbitrary<FuzzedRequest> {
  const gets = operations.filter(({ method }) => method === 'get');
  return fc.constantFrom(...gets).chain(({ path, parameters }) => {
    const [inPath, inQuery] = [parameters.filter((p) => p.in === 'path'), parameters.filter((p) => p.in === 'query')];
    const pathValues = fc.tuple(...inPath.map((parameter) => givenFor(parameter, ids)));
    const queryValues = fc.tuple(
      ...inQuery.map((parameter) => {
        const value = givenFor(parameter, ids);
        const given = value.map(({ text, verdict }) => ({ text: `${parameter.name}=${text}`, verdict }));
        const absent: Judged = { text: '', verdict: parameter.required ? 'wrong' : 'right' };
        const twice = fc.tuple(value, value).map(
          ([a, b]): Judged => ({
            text: `${parameter.name}=${a.text}&${parameter.name}=${b.text}`,
            verdict: 'either',
          }),
        );
        return fc.oneof(
          { weight: parameter.required ? 1 : 8, arbitrary: fc.constant(absent) },
          { weight: 6, arbitrary: given },
          { weight: 1, arbitrary: twice },
        );
      }),
    );
    return fc
      .tuple(methods, pathValues, queryValues, unknownQuery, headers)
      .map(([method, inPathGiven, inQueryGiven, more, head]) => {
        let index = 0;
        const bare = path.replace(/\{[a-z]+\}/g, () => inPathGiven[index++]!.text);
        const query = [...inQueryGiven.map(({ text }) => text).filter((text) => text !== ''), ...more].join('&');
        // A cursor says where to go on; it has no mode.
        const withBoth =
          inQueryGiven.some(({ text }) => text.startsWith('cursor=')) &&
          inQueryGiven.some(({ text }) => text.startsWith('offset_mode='));
        const isDependent = inQueryGiven.some(({ text }) => DEPENDENT.test(text));
        const verdict = verdictOf(inQueryGiven);
        return {
          method,
          path: query === '' ? bare : `${bare}?${query}`,
          headers: head,
          pathVerdict: verdictOf(inPathGiven),
          queryVerdict: withBoth
            ? 'wrong'
            : more.length > 0 || (isDependent && verdict === 'right')
              ? 'either'
              : verdict,
        };
      });
  });
}

/** Requests for paths that look like ours, or like nobody's. */
export function anyRequest(operations: readonly Operation[]): fc.Arbitrary<FuzzedRequest> {
  const segments = [...new Set(operations.flatMap(({ path }) => path.split('/')))].filter((s) => s !== '');
  const path = fc
    .array(fc.oneof(fc.constantFrom(...segments), garbage, fc.constant('')), { maxLength: 7 })
    .map((some) => `/${some.join('/')}`);
  return fc.tuple(methods, path, headers).map(([method, where, head]) => ({
    method,
    path: where,
    headers: head,
    pathVerdict: 'either',
    queryVerdict: 'either',
  }));
}
