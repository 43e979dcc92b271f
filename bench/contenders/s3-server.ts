/** Serves one bucket from the folder that its argument names. */
import S3rver from 's3rver'

const options = { address: '127.0.0.1', port: 0, silent: true, vhostBuckets: false }
const server = new S3rver({
  ...options,
  directory: process.argv[2] ?? '',
  configureBuckets: [{ name: 'bench' }],
})
const { port } = await server.run()
process.stdout.write(`http://127.0.0.1:${port}\n`)
