import { useActionData, useLocation, useNavigationType } from '@remix-run/react';
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';

interface AnswerScope {
  /** Names the visit to the page. */
  visit: string;
  /** What a form of the scope was answered last during this visit. */
  answer: unknown;
  setAnswer: (answer: unknown) => void;
}

const ScopeContext = createContext<AnswerScope>({ visit: '', answer: undefined, setAnswer: () => undefined });

/** Holds the last answer to a form: around a page, and around a dialog over it. */
export function AnswerScope({ children }: { children: ReactNode }) {
  const visit = usePageVisit();
  const [given, setGiven] = useState<{ visit: string; answer: unknown }>();
  const setAnswer = useCallback((answer: unknown) => setGiven({ visit, answer }), [visit]);
  const answer = given?.visit === visit ? given.answer : undefined;
  return <ScopeContext.Provider value={{ visit, answer, setAnswer }}>{children}</ScopeContext.Provider>;
}

export function useAnswerScope(): AnswerScope {
  return useContext(ScopeContext);
}

/** State of a navigation that shows the same page in another way, with what a form was answered. */
export const KEEPS_ANSWER = { keepsAnswer: true };

/**
 * Names the visit to a page: the same on every step to a fragment of it, such as the field that an error is about, and
 * another after any other navigation that does not keep the answer.
 */
function usePageVisit(): string {
  const { pathname, search, key, state } = useLocation();
  const page = pathname + search;
  const isStep = useNavigationType() === 'POP' || state?.keepsAnswer === true;
  const [visit, setVisit] = useState({ page, key });
  if ((isStep && visit.page === page) || visit.key === key) return visit.key;
  setVisit({ page, key });
  return key;
}

/**
 * What the page's action answered last during this visit, to a form of the page or with the whole document; the router
 * alone forgets the latter with every step to a fragment.
 */
export function usePageAnswer<Action>() {
  const { visit, answer } = useAnswerScope();
  const arrived = useActionData<Action>();
  const [last, setLast] = useState({ arrived, visit });
  const shown = arrived ?? (last.visit === visit ? last.arrived : undefined);
  if (last.arrived !== shown || last.visit !== visit) setLast({ arrived: shown, visit });
  return (answer as typeof arrived) ?? shown;
}
