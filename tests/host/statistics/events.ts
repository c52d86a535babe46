export interface ServerEvent {
  name: string;
  data: string;
}

/** Reads server-sent events one by one; null when the stream has ended. Comments have the name '' and no data. */
export function readEvents(body: ReadableStream<Uint8Array> | null) {
  if (!body) throw new Error('the answer has no body');
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';

  async function next(): Promise<ServerEvent | null> {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const lines = text.slice(0, end).split('\n');
        text = text.slice(end + 2);
        if (lines.every((line) => line.startsWith('retry:'))) continue;
        const field = (name: string) =>
          lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
        return { name: field('event'), data: field('data') };
      }
      const { done, value } = await reader.read();
      if (done) return null;
      text += decoder.decode(value, { stream: true });
    }
  }

  return { next, leave: () => reader.cancel() };
}
