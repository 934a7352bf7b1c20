/** A shared resource was refused, or a client has gone while it waited. */
import type { ResourceName } from './resource-names.ts';

/** A client did not get what it needs of a resource. */
export class ResourceRefusal extends Error {
  override readonly name = 'ResourceRefusal';
  readonly resource: ResourceName;
  /** Does the client hold more than its even share? Then it is the client's fault (429), otherwise the server's (503). */
  readonly isOverShare: boolean;

  constructor(resource: ResourceName, isOverShare: boolean) {
    // Without its stack: it becomes a response.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(`refused: ${resource}`);
    Error.stackTraceLimit = stackTraceLimit;
    this.resource = resource;
    this.isOverShare = isOverShare;
  }
}

/** The client's connection has closed: nobody waits for the response any more. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}
