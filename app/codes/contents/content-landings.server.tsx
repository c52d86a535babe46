import type { ComponentType } from 'react';
import type { Landing } from '#contract/contents/landings';
import type { LandingProps } from '~/codes/visit/landing-parts.server';
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

/** Whether a page shows the content of a code, not why there is none. */
export function isContent(state: { kind: string }): state is Landing {
  return Object.hasOwn(LANDINGS, state.kind);
}
