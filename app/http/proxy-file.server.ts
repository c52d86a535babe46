import { HostError } from './host-error.server';

/** Forwards an image from the host; errors keep their status and have no body. */
export async function proxyFile(response: Promise<Response>, cacheControl: string): Promise<Response> {
  try {
    const file = await response;
    return new Response(file.body, {
      headers: {
        'Content-Type': file.headers.get('content-type') ?? 'application/octet-stream',
        'Cache-Control': cacheControl,
        // An SVG opened as a page of its own must not run scripts.
        'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      },
    });
  } catch (thrown) {
    if (thrown instanceof HostError) return new Response(null, { status: thrown.status });
    throw thrown;
  }
}
