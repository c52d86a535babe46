import type { ComponentType } from 'react';
import type { Landing } from '#contract/contents/landings';
import { type LandingProps, splitPhone } from '~/codes/visit/landing-parts.server';
import { AppLanding } from './app-landing.server';
import { ContactLanding } from './contact-landing.server';
import { EmailLanding } from './email-landing.server';
import { EventLanding } from './event-landing.server';
import { PhoneLanding } from './phone-landing.server';
import { PlaceLanding } from './place-landing.server';
import { TextLanding } from './text-landing.server';

interface ContentPage<Kind extends Landing['kind']> {
  Content: ComponentType<LandingProps<Kind>>;
  /** What the page is about, in its owner's words; null if only its kind can be said. */
  subjectOf: (landing: Extract<Landing, { kind: Kind }>) => string | null;
  /** Whether the content says more than its heading. */
  isTitleSmall?: boolean;
}

const LANDINGS: { [Kind in Landing['kind']]: ContentPage<Kind> } = {
  text: { Content: TextLanding, subjectOf: () => null, isTitleSmall: true },
  email: { Content: EmailLanding, subjectOf: ({ address }) => address },
  phone: { Content: PhoneLanding, subjectOf: ({ number }) => splitPhone(number).number },
  contact: { Content: ContactLanding, subjectOf: ({ name }) => name },
  event: { Content: EventLanding, subjectOf: ({ title }) => title },
  place: {
    Content: PlaceLanding,
    subjectOf: ({ name, address, position }) => name || address || position,
  },
  app: { Content: AppLanding, subjectOf: () => null },
};

/** The part of a landing page that is about its content. */
export function ContentLanding(props: LandingProps) {
  const { Content } = pageOf(props.landing);
  return <Content {...props} />;
}

export function headingOf(landing: Landing): { subject: string | null; isTitleSmall: boolean } {
  const { subjectOf, isTitleSmall = false } = pageOf(landing);
  return { subject: subjectOf(landing), isTitleSmall };
}

function pageOf({ kind }: Landing) {
  return LANDINGS[kind] as ContentPage<Landing['kind']>;
}

/** Whether a page shows the content of a code, not why there is none. */
export function isContent(state: { kind: string }): state is Landing {
  return Object.hasOwn(LANDINGS, state.kind);
}
