import { createContext } from 'react';
import type { FailureCode } from './form-route';

/** What the controls of a form need to know about its submission. */
interface FormState {
  /** The button that submitted it, once the response is slow. */
  pressed: HTMLElement | null;
  isSlow: boolean;
  /** How many results the server has returned for it. */
  resultCount: number;
  /** Why there was no response. */
  failure: FailureCode | null;
  /** The idempotency key it was sent with, until it is accepted. */
  sentKey: string | undefined;
}

export const FormContext = createContext<FormState>({
  pressed: null,
  isSlow: false,
  resultCount: 0,
  failure: null,
  sentKey: undefined,
});
