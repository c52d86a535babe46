import { createContext, useContext } from 'react';

/** Set on the server only: browsers hide nonces, and hydration does not compare them. */
export const NonceContext = createContext<string | undefined>(undefined);

export function useNonce(): string | undefined {
  return useContext(NonceContext);
}
