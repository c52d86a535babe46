/**
 * The router aborts the answer of a navigation that another one has replaced. Its decoder (turbo-stream 2.4) leaves
 * nobody to hear how the rest of such an answer ends, and the browser would report every one as an error of the page.
 */
export function expectSupersededAnswers(): void {
  addEventListener('unhandledrejection', (event) => {
    const { reason } = event;
    if (reason instanceof DOMException && reason.name === 'AbortError') event.preventDefault();
  });
}
