function agent.resolve()
  local thread = coroutine.create(function()
    local guard <close> = setmetatable({}, { __close = function() while true do end end })
    coroutine.yield()
  end)
  coroutine.resume(thread)
  coroutine.close(thread)
end
