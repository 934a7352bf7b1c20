/** A network that does not exist, or a description that cannot be used. The message says what to correct. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
}
