import { HostError } from './host-error.server';

/** Hands a picture of the host on; its refusals keep their status and say nothing. */
export async function passFile(answer: Promise<Response>, cacheControl: string): Promise<Response> {
  try {
    const file = await answer;
    return new Response(file.body, {
      headers: {
        'Content-Type': file.headers.get('content-type') ?? 'application/octet-stream',
        'Cache-Control': cacheControl,
        // A picture opened as a page of its own runs nothing.
        'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      },
    });
  } catch (thrown) {
    if (thrown instanceof HostError) return new Response(null, { status: thrown.status });
    throw thrown;
  }
}
