// Loaded into a host before its own modules: every public https address is a program of the bench, without TLS.
import { Resolver } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';

Resolver.prototype.resolve4 = async () => ['93.184.215.14'];
Resolver.prototype.resolve6 = async () => [];
https.request = (_url, { method, headers, signal }) =>
  http.request({ host: '127.0.0.1', port: process.env.RECEIVER_PORT, method, headers, signal });
syncBuiltinESMExports();
