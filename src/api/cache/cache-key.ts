/** The key of a response in the cache: what the request asks for, however its URL is written. */

/** Equal for equal parameters of a route, different for different ones. */
export function cacheKeyOf(params: unknown): string {
  return typeof params === 'string' ? params : partKey(params);
}

/** A value among others: strings carry their length, so that one never looks like several. */
function partKey(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `${value.length}:${value}`;
    case 'object': {
      if (value === null) return '-';
      let key = '(';
      for (const name in value) key += `${partKey((value as Record<string, unknown>)[name])},`;
      return `${key})`;
    }
    case 'bigint':
    case 'number':
    case 'boolean':
    case 'undefined':
      return String(value);
    default:
      throw new Error(`a ${typeof value} cannot be part of a cache key`);
  }
}
