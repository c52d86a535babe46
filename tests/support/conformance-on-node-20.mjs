import { register } from 'node:module';

// The suite for clients imports `globSync`, which only newer versions of Node have; that for servers does not use it.
const hook = `
export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!url.endsWith('/conformance/dist/index.js')) return loaded;
  return { ...loaded, source: String(loaded.source).replace('globSync as o,', '') + ';var o = () => [];' };
}`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
