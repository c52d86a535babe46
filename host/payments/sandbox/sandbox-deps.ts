import type { Deps } from '#host/http/deps';

export type SandboxDeps = Pick<Deps, 'db' | 'clock' | 'log' | 'random'> & {
  /** Where browsers reach this host. */
  hostUrl: string;
  /** Where the card page may send them: the website. */
  publicUrl: string;
  appName: string;
  /** The first signs webhooks, all verify. */
  secrets: string[];
};
