import type { CodeType, ComingType } from '#contract/contents/contents';
import type { IconName } from '~/ui/icon';
import { app } from './app';
import { contact } from './contact';
import type { ContentForm } from './content-form';
import { email } from './email';
import { event } from './event';
import { image } from './image';
import { link } from './link';
import { phone } from './phone';
import { place } from './place';
import { text } from './text';
import { video } from './video';
import { wifi } from './wifi';

/** Types that can be chosen, in this order. */
export const CONTENT_FORMS: Record<CodeType, ContentForm> = {
  link,
  text,
  email,
  phone,
  wifi,
  contact,
  event,
  place,
  app,
};
/** Types that are only announced. */
export const COMING_FORMS: Record<ComingType, { icon: IconName }> = { image, video };
export const FORM_TYPES = Object.keys(CONTENT_FORMS) as [CodeType, ...CodeType[]];
export const COMING_TYPES = Object.keys(COMING_FORMS) as ComingType[];
