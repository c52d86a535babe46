import { useActionData, useLocation, useNavigationType } from '@remix-run/react';
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';

interface ActionDataScope {
  /** Identifies the visit to the page. */
  visit: string;
  /** The last result of a form in the scope during this visit. */
  actionData: unknown;
  setActionData: (actionData: unknown) => void;
}

const ScopeContext = createContext<ActionDataScope>({
  visit: '',
  actionData: undefined,
  setActionData: () => undefined,
});

/** Provides the last result of a form; one around the page, another around a dialog over it. */
export function ActionDataScope({ children }: { children: ReactNode }) {
  const visit = usePageVisit();
  const [given, setGiven] = useState<{ visit: string; actionData: unknown }>();
  const setActionData = useCallback((actionData: unknown) => setGiven({ visit, actionData }), [visit]);
  const actionData = given?.visit === visit ? given.actionData : undefined;
  return (
    <ScopeContext.Provider value={{ visit, actionData, setActionData }}>{children}</ScopeContext.Provider>
  );
}

export function useActionDataScope(): ActionDataScope {
  return useContext(ScopeContext);
}

/** Location state of a navigation that shows the same page again and keeps the result of a form. */
export const KEEPS_ACTION_DATA = { keepsActionData: true };

/**
 * Identifies the visit to a page. Links to fragments, such as from an error to its field, and navigations
 * with `KEEPS_ACTION_DATA` belong to the same visit; any other navigation begins a new one.
 */
function usePageVisit(): string {
  const { pathname, search, key, state } = useLocation();
  const page = pathname + search;
  const isStep = useNavigationType() === 'POP' || state?.keepsActionData === true;
  const [visit, setVisit] = useState({ page, key });
  if ((isStep && visit.page === page) || visit.key === key) return visit.key;
  setVisit({ page, key });
  return key;
}

/**
 * The last result of the page's action during this visit, to a fetcher or in a full page load. The router
 * itself drops the latter on every link to a fragment.
 */
export function usePageActionData<Action>() {
  const { visit, actionData } = useActionDataScope();
  const arrived = useActionData<Action>();
  const [last, setLast] = useState({ arrived, visit });
  const shown = arrived ?? (last.visit === visit ? last.arrived : undefined);
  if (last.arrived !== shown || last.visit !== visit) setLast({ arrived: shown, visit });
  return (actionData as typeof arrived) ?? shown;
}
