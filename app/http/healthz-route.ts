/** Liveness of this process. The host has its own /healthz. */
export async function loader() {
  return new Response('ok', { headers: { 'Content-Type': 'text/plain', 'Cache-Control': 'no-store' } });
}
