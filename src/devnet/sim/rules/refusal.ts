/** Why a transaction may not go into the next block; the message is what a node would answer to its sender. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
