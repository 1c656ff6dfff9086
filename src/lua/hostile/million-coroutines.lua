function agent.resolve()
  local list = {}
  for index = 1, 1000000 do
    list[index] = coroutine.create(function() coroutine.yield() end)
    coroutine.resume(list[index])
  end
end
