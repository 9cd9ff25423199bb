/**
 * The parts of undici that requests need. The whole package brings its fetch, caches, mocks and web sockets along, and
 * takes longer to load than a small plan takes.
 */
/// <reference path="./undici-parts.d.ts" />
import connect from 'undici/lib/api/api-connect.js';
import request from 'undici/lib/api/api-request.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';

// The package does the same with all its calls when it is loaded as a whole.
Object.assign(Dispatcher.prototype, { request, connect });

export { Pool, ProxyAgent };
