/** Parses a body that is a JSON object. */
import { badRequest } from '../errors/api-error.ts';

/** Returns the fields, not checked yet. Throws the error 400 about a body of this name. */
export function parseJsonObject(name: string, body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // The error is the same as for any other JSON.
  }
  throw badRequest(`Invalid ${name}: the body is no JSON object`);
}
