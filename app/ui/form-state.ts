import { createContext } from 'react';
import type { FailureCode } from './form-route';

/** What the controls of a form need to know of its sending. */
interface FormState {
  /** The button it was sent with, once the answer is slow to come. */
  pressed: HTMLElement | null;
  isSlow: boolean;
  /** How often the server has answered it with itself. */
  answers: number;
  /** Why there was no answer. */
  failure: FailureCode | null;
  /** The key it was sent with, until it is accepted. */
  sentKey: string | undefined;
}

export const FormContext = createContext<FormState>({
  pressed: null,
  isSlow: false,
  answers: 0,
  failure: null,
  sentKey: undefined,
});
