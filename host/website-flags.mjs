/**
 * Node's flags for the website. What a request leaves behind outlives V8's small collections (undici registers each
 * for finalization), and without a limit V8 lets some 250 MB of it pile up before a large one. In use are 50 MB.
 * Collecting is a tenth of a page's time; more room for new objects takes some of it, for 30 MB.
 */
export const WEBSITE_FLAGS = ['--max-old-space-size=512', '--max-semi-space-size=32'];
