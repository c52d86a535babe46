import { bundleSource } from '#runtime/processes/source-bundle';

const bundles = new Map<string, string>();

/** Arguments for Node.js that run one of our programs, bundled on the first call. */
export function bundledProgram(source: string): string[] {
  const file = bundles.get(source) ?? bundleSource(source);
  bundles.set(source, file);
  return [file];
}
