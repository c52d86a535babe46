import { useEffect, useLayoutEffect } from 'react';

/** The server paints nothing, and React warns of the hook there. */
export const useBeforePaint = typeof document === 'undefined' ? useEffect : useLayoutEffect;
