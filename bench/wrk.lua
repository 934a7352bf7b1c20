-- What wrk asks, and what it says at the end. Arguments: a file with a path per line, asked in turn; a number that makes
-- the URLs of this run other ones by a parameter that nobody reads, or "same".
local requests = {}
local tail, run
local asked = 0

function init(args)
  local template = wrk.format("GET", "PATH")
  local at = template:find("PATH", 1, true)
  local head = template:sub(1, at - 1)
  tail = template:sub(at + 4)
  run = args[2]
  for path in io.lines(args[1]) do
    if run ~= "same" then
      path = path .. (path:find("?", 1, true) and "&" or "?") .. "bench=" .. run .. "."
    end
    requests[#requests + 1] = head .. path
  end
end

function request()
  local beginning = requests[asked % #requests + 1]
  asked = asked + 1
  if run == "same" then return beginning .. tail end
  return beginning .. asked .. tail
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"answers":%d,"bytes":%d,"microseconds":%d,"p50":%d,"p99":%d,"refused":%d,"broken":%d}\n',
    summary.requests, summary.bytes, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write + errors.timeout
  ))
end
