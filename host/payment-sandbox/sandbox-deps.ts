import type { Deps } from '#host/http/deps';

export type SandboxDeps = Pick<Deps, 'db' | 'clock' | 'log' | 'random'> & {
  /** The public URL of this host. */
  hostUrl: string;
  /** The website, to which the card page may redirect. */
  publicUrl: string;
  appName: string;
  /** The first signs webhooks, all verify. */
  secrets: string[];
};
