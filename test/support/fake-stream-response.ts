/** The response of an event stream, as the hub of the streams writes to it: a client that takes all, or nothing more. */
import { EventEmitter } from 'node:events';
import type { StreamResponse } from '../../src/api/stream/stream-client.ts';

export class FakeStreamResponse extends EventEmitter {
  readonly chunks: Buffer[] = [];
  isBlocked = false;
  isEnded = false;
  isDestroyed = false;

  /** As the hub takes it. */
  get asResponse(): StreamResponse {
    return this as unknown as StreamResponse;
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString();
  }

  write(chunk: Buffer): boolean {
    this.chunks.push(chunk);
    return !this.isBlocked;
  }

  cork(): void {}
  uncork(): void {}

  end(): void {
    this.isEnded = true;
    this.emit('close');
  }

  destroy(): void {
    this.isDestroyed = true;
    this.emit('close');
  }

  /** Takes what comes from now on. */
  drain(): void {
    this.isBlocked = false;
    this.emit('drain');
  }
}
