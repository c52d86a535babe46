import { expect, test } from 'vitest';
import { elideArticles, plainDateTime } from '#contract/date-words';

test('Italian articles are elided before the dates with a vowel, and only before those', () => {
  expect(elideArticles('La prova termina il 8 novembre 2026, non dal 11 maggio al 8 giugno.')).toBe(
    'La prova termina l’8 novembre 2026, non dall’11 maggio all’8 giugno.',
  );
  expect(elideArticles('Il 11 gen 2026 e la dichiarazione del 8 dicembre 2026')).toBe(
    'L’11 gen 2026 e la dichiarazione dell’8 dicembre 2026',
  );
  for (const text of ['fino al 29 novembre 2026', 'dal 18 marzo', 'Menu del 11', 'hasta el 8 de mayo'])
    expect(elideArticles(text)).toBe(text);
});

test('times of day read as people write them', () => {
  expect(plainDateTime('29 novembre 2026 alle ore 10:57 CET', 'Europe/Paris')).toBe(
    '29 novembre 2026 alle 10:57 CET',
  );
  expect(plainDateTime('29 novembre 2026 à 10:57 UTC+1', 'Europe/Paris')).toBe(
    '29 novembre 2026 à 10:57 (heure de Paris)',
  );
  expect(plainDateTime('29 novembre 2026 à 10:57 UTC+1', 'Africa/Tunis')).toBe(
    '29 novembre 2026 à 10:57 UTC+1',
  );
});
