/** Liveness: this program answers. Whether the host does is the host's own /healthz. */
export async function loader() {
  return new Response('ok', { headers: { 'Content-Type': 'text/plain', 'Cache-Control': 'no-store' } });
}
