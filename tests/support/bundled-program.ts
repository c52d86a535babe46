import { bundleSource } from '#processes/source-bundle';

const bundles = new Map<string, string>();

/** Arguments for Node.js that run one of our programs, bundled on the first call. */
export function bundledProgram(source: string): string[] {
  const file = bundles.get(source) ?? bundleSource(source);
  bundles.set(source, file);
  // Skip V8's optimising WebAssembly compiler: these programs end before optimised code would pay off.
  return ['--liftoff-only', file];
}
