/** Parses server-sent events, in browsers and in Node. */

export interface EventFrame {
  readonly name: string;
  /** undefined if the frame has none: it moves on the id alone. */
  readonly data: string | undefined;
  readonly id: string | undefined;
  /** The least pause in milliseconds before the next connection. */
  readonly retryMs: number | undefined;
}

/** Yields the frames of a stream, with comments as frames without data. Throws what reading throws. */
export async function* eventFrames(body: ReadableStream<Uint8Array>): AsyncGenerator<EventFrame, void, void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const frames = text.split(/\r?\n\r?\n/);
      text = frames.pop()!;
      for (const frame of frames) yield parseFrame(frame);
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function parseFrame(frame: string): EventFrame {
  let name = 'message';
  let id: string | undefined;
  let retryMs: number | undefined;
  const data: string[] = [];
  for (const line of frame.split(/\r?\n/)) {
    const [, field, value = ''] = /^(\w+)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'event') name = value;
    else if (field === 'data') data.push(value);
    else if (field === 'id') id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) retryMs = Number(value);
  }
  return { name, data: data.length > 0 ? data.join('\n') : undefined, id, retryMs };
}
