/**
 * The parts of prom-client that the service uses. The index of the package loads others too, among them a client of gateways
 * with `node:http`, which cost every thread 50 ms.
 */
export { default as AggregatorRegistry } from 'prom-client/lib/cluster.js'
export { default as Counter } from 'prom-client/lib/counter.js'
export { default as Gauge } from 'prom-client/lib/gauge.js'
export { default as Histogram } from 'prom-client/lib/histogram.js'
export { default as Registry } from 'prom-client/lib/registry.js'
