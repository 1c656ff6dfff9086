function agent.resolve()
  local run = coroutine.wrap(function()
    while true do end
  end)
  pcall(run)
end
