/**
 * Node's flags for the website. The garbage of a request survives V8's minor collections (undici registers each request
 * for finalization), and without a limit V8 accumulates some 250 MB of it before a major one, with 50 MB in use.
 * Collecting takes a tenth of a page's time; a larger young generation reduces that, at a cost of 30 MB.
 */
export const WEBSITE_FLAGS = ['--max-old-space-size=512', '--max-semi-space-size=32'];
