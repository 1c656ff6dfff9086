function agent.resolve()
  coroutine.wrap(function()
    local list = {}
    while true do list[#list + 1] = ("x"):rep(100000 + #list) end
  end)()
end
