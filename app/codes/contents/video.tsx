export const video = { icon: 'video' } as const;
