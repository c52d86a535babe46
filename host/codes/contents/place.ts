import { readParts } from '#contract/contents/parts';
import type { PlaceParts } from '#contract/contents/place';
import { readPosition } from '#contract/contents/positions';
import type { HostedType } from './hosted-type';
import { mapsAt } from './maps';
import { hostedParts } from './parts';

export const place: HostedType = {
  ...hostedParts('place', ['position']),
  landing({ content }) {
    const { position = '', placeName = '', placeAddress = '' } = readParts<PlaceParts>(content);
    return { kind: 'place', position, name: placeName, address: placeAddress };
  },
  follow({ content }, _act, n, os) {
    const { position: entered = '', placeName = '' } = readParts<PlaceParts>(content);
    const position = readPosition(entered);
    return (position && mapsAt(position, placeName, os)[n - 1]) ?? null;
  },
  words: {
    gb: 'place location map geo coordinates position',
    fr: 'lieu emplacement carte position',
    es: 'lugar ubicación mapa posición',
    de: 'ort standort karte position',
    it: 'luogo posizione mappa',
  },
  headers: {
    position: `position, coordinates, geo, lat long, latitude longitude, latlng, coordonnées, coordenadas,
      posición, koordinaten, coordinate, posizione`,
    placeName:
      'place name, place, name of the place, nom du lieu, nombre del lugar, name des ortes, nome del luogo',
    placeAddress: `place address, address of the place, adresse du lieu, dirección del lugar, adresse des ortes,
      indirizzo del luogo`,
  },
};
