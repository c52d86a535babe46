/**
 * Node's flags for the website. What a request leaves behind outlives V8's small collections (undici registers each
 * for finalization), and without a limit V8 lets some 250 MB of it pile up before a large one. In use are 50 MB.
 */
export const WEBSITE_FLAGS = ['--max-old-space-size=512'];
