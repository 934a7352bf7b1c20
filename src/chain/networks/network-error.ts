/** A network that does not exist, or a description of one that cannot be used. The message says what to mend. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
}
