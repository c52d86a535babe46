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

const LANDINGS: { [Kind in Landing['kind']]: ComponentType<LandingProps<Kind>> } = {
  text: TextLanding,
  email: EmailLanding,
  phone: PhoneLanding,
  contact: ContactLanding,
  event: EventLanding,
  place: PlaceLanding,
  app: AppLanding,
};

/** The part of a landing page that is about its content. */
export function ContentLanding(props: LandingProps) {
  const Content = LANDINGS[props.landing.kind] as ComponentType<LandingProps>;
  return <Content {...props} />;
}

/** What a page is about, in its owner's words; null if only its kind can be said. */
export function subjectOf(landing: Landing): string | null {
  switch (landing.kind) {
    case 'contact':
      return landing.name;
    case 'event':
      return landing.title;
    case 'place':
      return landing.name || landing.address || landing.position;
    case 'phone':
      return splitPhone(landing.number).number;
    case 'email':
      return landing.address;
    default:
      return null;
  }
}

/** Whether a page shows the content of a code, not why there is none. */
export function isContent(state: { kind: string }): state is Landing {
  return Object.hasOwn(LANDINGS, state.kind);
}
