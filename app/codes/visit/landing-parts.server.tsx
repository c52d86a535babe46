import type { ReactNode } from 'react';
import type { Landing } from '#contract/contents/landings';

export interface LandingProps<Kind extends Landing['kind'] = Landing['kind']> {
  landing: Extract<Landing, { kind: Kind }>;
  /** Base URL of the links that count what the visitor does and then redirect. */
  engagementUrl: string;
  t: (key: string, values?: Record<string, string>) => string;
  /** The visitor's language, as Intl knows it. */
  tag: string;
}

export function Detail({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd dir="auto">{value}</dd>
    </>
  );
}

/** A detail that leads somewhere. */
export function Row({ name, href, children }: { name: string; href: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd dir="auto">
        <a href={href} rel="nofollow">
          {children}
        </a>
      </dd>
    </>
  );
}

/** A phone number as people read it, and what is dialled after it. */
export function splitPhone(full: string): { number: string; extension: string | undefined } {
  const [number = '', extension] = full.split(';ext=');
  return { number, extension };
}

interface CopyProps {
  text: string;
  /** The URL that counts a copy. */
  countUrl: string;
  label: string;
  copiedText: string;
}

export function CopyButton({ text, countUrl, label, copiedText }: CopyProps) {
  return (
    <>
      <button type="button" hidden data-copy={text} data-count-url={countUrl} data-copied={copiedText}>
        {label}
      </button>
      <span id="copied" role="status" />
    </>
  );
}
