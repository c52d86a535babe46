// Loaded into the programs under chaos: the public name of the webhook's receiver leads to this machine.
import dns from 'node:dns/promises';
import { Socket } from 'node:net';

const NAME = 'name.example';
const [PUBLIC, HERE] = ['93.184.216.34', '127.0.0.1'];

const { resolve4, resolve6 } = dns.Resolver.prototype;
dns.Resolver.prototype.resolve4 = async function (name, ...rest) {
  return name === NAME ? [PUBLIC] : resolve4.call(this, name, ...rest);
};
dns.Resolver.prototype.resolve6 = async function (name, ...rest) {
  return name === NAME ? [] : resolve6.call(this, name, ...rest);
};

const { connect } = Socket.prototype;
Socket.prototype.connect = function (...args) {
  const options = [args[0]].flat()[0];
  if (options?.host === NAME)
    options.lookup = (_name, { all }, answer) =>
      all ? answer(null, [{ address: HERE, family: 4 }]) : answer(null, HERE, 4);
  return connect.apply(this, args);
};
