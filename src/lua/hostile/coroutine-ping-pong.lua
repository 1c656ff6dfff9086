function agent.resolve()
  local ping, pong
  ping = coroutine.create(function()
    while true do coroutine.yield() end
  end)
  pong = coroutine.create(function()
    while true do coroutine.resume(ping) coroutine.yield() end
  end)
  while true do coroutine.resume(pong) end
end
