import type { Explanations } from './kinds.ts'

/** END10x: capacity for runs, and runs that ended before their script did. END11x and END12x: runs. END13x: operations on endpoints. END14x and END15x: files of endpoints. */
export const endpointExplanations = {
  END101: {
    meaning: 'The queue of runs that wait for a turn is full.',
    action: 'Retry after the time in Retry-After. See the settings scriptConcurrency and scriptQueue.',
  },
  END102: {
    meaning: 'The run waited for a turn longer than the setting scriptQueueMilliseconds.',
    action: 'Retry after the time in Retry-After. Find out what the running scripts wait for.',
  },
  END103: {
    meaning: 'The thread that ran the script ended before the run did.',
    action:
      'Look up the execution id in the history and the log. The script may have needed too much memory.',
  },
  END104: {
    meaning: 'The service is being stopped and starts no more runs.',
    action: 'Retry when it has been started again.',
  },
  END105: {
    meaning: 'An operator cancelled the run, while it waited or while its script ran.',
    action: 'Ask the operator whom the record of the run names. What the script had written before stays.',
  },
  END106: {
    meaning: 'The caller closed the connection before the answer, so the run was cancelled.',
    action:
      'Nothing, or set `finishWhenCallerLeaves` of the endpoint to true. What the script had written before stays.',
  },
  END107: {
    meaning: 'The service was stopped, and the run did not end in time, so it was cancelled.',
    action:
      'Retry when the service has been started again. The setting stopSeconds says how long runs may take.',
  },
  END108: {
    meaning:
      'The service ended, by a crash or a kill, before the run had its record. What its caller got is unknown.',
    action:
      'Look at what the script writes, and rerun the call if it has to be done. The log of the service may say why it ended.',
  },
  END110: {
    meaning: 'The version of the endpoint was deleted after the call had arrived.',
    action: 'Call again.',
  },
  END112: {
    meaning: 'The endpoint records its runs without their contents, so the execution cannot be run again.',
    action: 'Run a trial of the endpoint instead, or set its member `record` to `full` for the runs to come.',
  },
  END113: {
    meaning: 'A filter without any condition would delete or repeat all executions.',
    action: 'Give at least one condition. `from=1970-01-01` stands for all.',
  },
  END114: {
    meaning: 'There is no job of reruns with this id.',
    action: 'Look up the id in the list of these jobs. Old ones are removed: see historyDays.',
  },
  END115: {
    meaning: 'The request was refused and no script ran, so there is nothing to run again.',
    action: 'Let the sender send it again.',
  },
  END116: {
    meaning:
      'A delivery was not run, because it had been processed before. Recorded with the status Refused.',
    action: 'None: its sender got the answer 200.',
  },
  END117: {
    meaning: 'The body of a call claims to be JSON and is not. Recorded with the status Refused.',
    action: 'Let the sender correct the body; the answer says where the fault is.',
  },
  END118: {
    meaning:
      'A trial or a rerun has ended, but the audit trail did not take which clients and secrets it has read, so its answer is not shown. What a rerun has written stays.',
    action: 'See to the control store. Look at the record of the run before you repeat it.',
  },
  END120: {
    meaning:
      'A script left Data that cannot be sent as a response. The run is recorded as failed with this code.',
    action: 'Correct the member of Data that the message names.',
  },
  END121: {
    meaning: 'A script set a response header that scripts may not set.',
    action: 'Remove the header from Data._headers. The message says why it is refused.',
  },
  END122: {
    meaning: 'The service could not carry out the run. The run is recorded as failed with this code.',
    action: 'Read the cause in the log of the service.',
  },
  END130: {
    meaning: 'The script has problems, so the endpoint is not published.',
    action: 'Correct everything that `details` lists.',
  },
  END131: {
    meaning: 'The history has no execution with this id.',
    action:
      'Look up the id in the list of executions. Old ones are removed: see historyDays, historyCount and historyBytes.',
  },
  END132: {
    meaning: 'The request body of the execution was not recorded in full, so it cannot be run again.',
    action: 'Run a trial of the endpoint with the full body, or raise the setting historyBodyBytes.',
  },
  END133: {
    meaning: 'The execution ran a draft, which is not kept, so it cannot be run again.',
    action: 'Run a trial of the endpoint instead.',
  },
  END134: {
    meaning: 'The endpoint has no published version.',
    action: 'Publish it first.',
  },
  END135: {
    meaning: 'The sample request is not one that a caller could send.',
    action: 'Correct everything that `details` lists.',
  },
  END141: {
    meaning: 'An endpoint file is not valid YAML.',
    action: 'Correct it at the line and column that the message names.',
  },
  END142: {
    meaning: 'An endpoint file has a member that is unknown, missing or wrong.',
    action: 'Correct the member at the place that the message names.',
  },
  END143: {
    meaning: 'A file of an endpoint, a sample request or an expectation cannot be read.',
    action: 'Check that it exists and that you may read it.',
  },
  END144: {
    meaning: 'A file of an endpoint cannot be written.',
    action: 'Check that you may write there and that the disk has space.',
  },
  END145: {
    meaning: 'The folder has no endpoint files.',
    action:
      'Name another folder. `tripfolio endpoint pull FOLDER` writes the endpoints of the service into files.',
  },
  END146: {
    meaning: 'A note is given without a publication.',
    action: 'Add --publish, or remove --note.',
  },
  END147: {
    meaning: 'A sample request or an expectation has the wrong form.',
    action: 'Correct what the message lists.',
  },
  END148: {
    meaning: 'A pull with --published needs a published version, but the endpoint has only a draft.',
    action: 'Pull without --published to get the draft.',
  },
  END149: {
    meaning: 'The script that an endpoint file names does not exist.',
    action: 'Add the script, or correct its name.',
  },
  END150: {
    meaning: 'An endpoint cannot be pulled over the files that are there.',
    action: 'Rename or move the file that the message names.',
  },
  END151: {
    meaning: 'The file of a module has a name that scripts cannot import.',
    action: 'Name it in small letters, digits and hyphens, such as `fees.module.jyro`.',
  },
  END160: {
    meaning:
      'The script cancelled its run with `CancelAction`. The message is the reason, which the caller got with 409.',
    action: 'Nothing has failed. The record of the run shows the request and the line of the call.',
  },
  END180: {
    meaning: 'A run would send more HTTP requests than it may. Retries and redirects count.',
    action: 'Send fewer requests in one run, or raise the setting `httpRequestsPerRun`.',
  },
  END181: {
    meaning: 'A run would send more bytes by HTTP than it may.',
    action: 'Send less in one run, or raise the setting `httpBytesPerRun`.',
  },
  END182: {
    meaning: 'A secret that `secretHeaders` names is unknown, inactive or expired. Nothing was sent.',
    action: 'Store the secret under that name.',
  },
  END183: {
    meaning:
      'A request asks for retries, but sending it twice could do something twice: its method is POST or PATCH.',
    action: 'Add a header `Idempotency-Key` that the receiver knows, or leave out `retries`.',
  },
  END184: {
    meaning: 'A run would send mail to more recipients, or with more bytes, than it may.',
    action: 'Send less in one run, or raise `mailRecipientsPerRun` or `mailBytesPerRun`.',
  },
  END200: {
    meaning: 'The address after --server is not one of a service.',
    action:
      'Give the address under which the service is, such as https://travel.example.com or https://intranet.example.com/travel.',
  },
  END201: {
    meaning: 'A command on a service elsewhere has no token, or a token without --server.',
    action: 'Give --server together with TRIPFOLIO_TOKEN, --token-file or --token.',
  },
  END202: {
    meaning: 'The service after --server cannot be reached.',
    action: 'Check the address, the network and whether the service runs, and repeat the call.',
  },
  END203: {
    meaning: 'The certificate of the service after --server cannot be trusted.',
    action:
      'Name the certificate of your authority in the variable NODE_EXTRA_CA_CERTS, or correct the address.',
  },
  END204: {
    meaning: 'The service after --server does not accept the token.',
    action: 'Get a new token. The log of the service says why it was refused.',
  },
  END205: {
    meaning: 'The token has no role that may do this.',
    action: 'Use a token with the role that the message names.',
  },
  END206: {
    meaning: 'The service after --server answered with what the command line does not understand.',
    action:
      'Check that the address is that of a Tripfolio of the same version, with the path below which a proxy offers it.',
  },
  END207: {
    meaning: 'Only a running service can do this.',
    action: 'Give --server with the address of the service.',
  },
  END208: {
    meaning: 'A pull would overwrite files that were edited since they were pulled or pushed.',
    action: 'Push or keep the edits elsewhere, or pull with --force to lose them.',
  },
  END209: {
    meaning: 'There is no sample request for an endpoint to be tested with.',
    action: 'Write NAME.request.json beside NAME.yaml, or give --request.',
  },
  END215: {
    meaning:
      'Another system answered a request of a script with a content coding that is unknown or does not fit the bytes. It was not asked for one.',
    action:
      'Tell its operators. `gzip`, `deflate`, `br` and `zstd` are read, although they are not asked for.',
  },
} satisfies Explanations
